/** Epoch seconds of epoch ms. */
export const epochSeconds = (ms: number) => Math.floor(ms / 1000)

/** Epoch microseconds of epoch ms. */
export const epochMicros = (ms: number) => Math.round(ms * 1000)

/** `2023-11-14T22:13:20.000Z`. Throws a RangeError for an invalid time. */
export const isoTime = (ms: number) => new Date(ms).toISOString()
