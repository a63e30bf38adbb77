import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** True for the built program, one file in `lib/`; false for a file of `src/`. */
const isBuilt = import.meta.filename.endsWith('.js')

/** `src/` of a checkout, or `lib/` of the built program. */
const programFolder = new URL(isBuilt ? './' : '../', import.meta.url)

/** The folder of the package, with `package.json` and `dist/`. */
export const packageFolder = fileURLToPath(new URL('../', programFolder))

/** A file that the program reads, by its path below `src/`. */
export const dataUrl = (path: string): URL => new URL(path, programFolder)

/** The program of a thread or process, by its path below `src/`. In the built program, each is one file. */
export const programUrl = (path: string): URL => dataUrl(isBuilt ? `${basename(path, '.ts')}.js` : path)
