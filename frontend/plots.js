import uPlot from "uplot"; window.x=uPlot;
