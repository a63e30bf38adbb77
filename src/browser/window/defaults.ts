/** Put in by the bundler: the version of this build. */
declare const AGLET_VERSION: string
/** The key of `storage` under which consent stands; of the plain script the edge puts it in. */
declare const AGLET_BRAND: string

export const built = { version: AGLET_VERSION, brand: AGLET_BRAND }
