/** Put in by the bundler: the version of this build, and the providers that have a module in it. */
declare const AGLET_VERSION: string
declare const AGLET_MODULES: readonly string[]
/** The key of `storage` under which consent stands; of the plain script the edge puts it in. */
declare const AGLET_BRAND: string

export const built = { version: AGLET_VERSION, modules: AGLET_MODULES, brand: AGLET_BRAND }
