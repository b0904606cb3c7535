/** The command line has no public face: it is started by `main.ts`, and an app composes the other packages itself. */
export {}
