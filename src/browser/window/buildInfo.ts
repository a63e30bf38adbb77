/** The version of this build, set by the bundler. */
declare const AGLET_VERSION: string
/** The key of the consent in `storage`. For the plain script, the edge sets it. */
declare const AGLET_BRAND: string

export const buildInfo = { version: AGLET_VERSION, brand: AGLET_BRAND }
