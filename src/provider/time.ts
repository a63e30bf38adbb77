/** Epoch seconds of epoch ms. */
export const seconds = (ms: number) => Math.floor(ms / 1000)

/** Epoch microseconds of epoch ms. */
export const micros = (ms: number) => Math.round(ms * 1000)

/** `2023-11-14T22:13:20.000Z`. Throws a RangeError for what is no time. */
export const isoTime = (ms: number) => new Date(ms).toISOString()
