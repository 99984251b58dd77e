// Bundles what the pages are drawn with: `node build.js FOLDER`. Pictures that style sheets hold as data: URIs become files,
// because the pages' content policy lets them draw nothing that is not served from their own address.
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
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

rmSync(folder, { recursive: true, force: true });
const { metafile, warnings } = await esbuild.build({
  entryPoints: ["pages.js", "pages.css", "mark.svg"],
  outdir: folder,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022", "chrome109", "firefox115", "safari16.4"],
  legalComments: "none",
  loader: { ".svg": "copy" },
  assetNames: "picture-[hash]",
  metafile: true,
  plugins: [pictures],
  logLevel: "warning",
});
if (warnings.length) process.exitCode = 1;
if (!Object.keys(metafile.outputs).length) throw new Error("Nothing was bundled.");
