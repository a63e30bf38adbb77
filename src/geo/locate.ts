/** ISO 3166-1 alpha-2 and, where known, ISO 3166-2 (`US-CA`). */
export type Located = { country?: string; region?: string }
export type Locate = (ip: string) => Located
