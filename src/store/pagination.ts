export type ResultPage<Row> = { rows: Row[]; next?: string }
/** `cursor` is the `next` of the previous page. Rows that are ordered by time come newest first. */
export type PageRequest = { cursor?: string; limit: number }
