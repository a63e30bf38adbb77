import type { WriteUnit } from '#kit/writeBatch.ts'

/** The progress of retention: the step, and the last row that it processed. */
export type RetentionCursor = { step: number; tag: number | string; position: number; idx: number }
/**
 * The result of a slice: its statements, the number of dropped rows, and the next cursor; undefined at the end of the
 * step.
 */
export type RetentionSlice = { statements: WriteUnit; dropped: number; next: RetentionCursor | undefined }
