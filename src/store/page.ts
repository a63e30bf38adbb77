export type Page<Row> = { rows: Row[]; next?: string }
/** `cursor` is the `next` of the page before; newest first where time orders the rows. */
export type PageOf = { cursor?: string; limit: number }
