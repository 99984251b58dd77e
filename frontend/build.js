// Bundles what the pages are drawn with: `node build.js FOLDER`. Pictures that style sheets hold as data: URIs become files,
// because the pages' content policy lets them draw nothing that is not served from their own address.
import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import process from "node:process";
import * as esbuild from "esbuild";

const folder = process.argv[2];
if (!folder) throw new Error("Say where the bundle goes: node build.js FOLDER");

const pictures = {
  name: "pictures",
  setup(build) {
    build.onResolve({ filter: /^data:image\/svg\+xml/ }, ({ path }) => ({
      path: `${createHash("sha256").update(path).digest("hex").slice(0, 8)}.svg`,
      namespace: "picture",
      pluginData: path,
    }));
    build.onLoad({ filter: /.*/, namespace: "picture" }, ({ pluginData }) => ({
      contents: decodeURIComponent(pluginData.slice(pluginData.indexOf(",") + 1)),
      loader: "file",
    }));
  },
};

// Whoever chose no colours gets their system's, without a script: what Tabler does in the dark is said once more for them.
const DARK = /\[data-bs-theme=dark\]/;
const auto = {
  name: "auto",
  setup(build) {
    build.onLoad({ filter: /tabler\.min\.css$/ }, async ({ path }) => {
      const contents = await readFile(path, "utf8");
      const dark = [...contents.matchAll(/([^{}]*)(\{[^{}]*\})/g)].flatMap(([, selectors, body]) => {
        const own = selectors.split(",").filter((one) => DARK.test(one) && !/:not\(|data-bs-theme=light|body|html/.test(one));
        return own.length && !body.includes("!important") ? [own.join(",").replace(/\[data-bs-theme=dark\]/g, "[data-bs-theme=auto]") + body] : [];
      });
      if (dark.length < 5) throw new Error("Tabler's dark colours are written in another way than before.");
      return { contents: `${contents}@media (prefers-color-scheme:dark){${dark.join("")}}`, loader: "css" };
    });
  },
};

await rm(folder, { recursive: true, force: true });
const { metafile, warnings } = await esbuild.build({
  entryPoints: ["pages.js", "graph.js", "job_log.js", "pages.css", "alone.css", "icons.svg", "mark.svg"],
  outdir: folder,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022", "chrome109", "firefox115", "safari16.4"],
  legalComments: "none",
  loader: { ".svg": "copy" },
  assetNames: "picture-[hash]",
  metafile: true,
  plugins: [auto, pictures],
  logLevel: "warning",
});
if (warnings.length) process.exitCode = 1;
if (!Object.keys(metafile.outputs).length) throw new Error("Nothing was bundled.");

// Whoever passes on what was bundled passes on its licences too: texts that come with the packages, or what their files say on top.
const packages = new Map();
for (const input of Object.keys(metafile.inputs)) {
  const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (found && !packages.has(found[1])) packages.set(found[1], input.slice(input.indexOf("node_modules/")));
}
const licences = [];
for (const [name, input] of [...packages].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const home = `node_modules/${name}`;
  const { version, license } = JSON.parse(await readFile(`${home}/package.json`, "utf8"));
  const file = (await readdir(home)).find((one) => /^licen[cs]e(\.|$)/i.test(one));
  const text = file ? await readFile(`${home}/${file}`, "utf8") : (await readFile(input, "utf8")).match(/\/\*![\s\S]*?\*\//)?.[0];
  if (!text) throw new Error(`${name} comes without a licence.`);
  licences.push(`# ${name} ${version}, ${license}\n\n${text.trim()}\n`);
}
if (packages.size < 5) throw new Error("What was bundled is told in another way than before.");
await writeFile(`${folder}/licences.txt`, licences.join("\n"));
