import type { WriteUnit } from '#kit/writeBatch.ts'
import type { RetentionCutoffs } from '#store/deliveryQueries.ts'
import type { SqlReader } from './sqlReader.ts'

/** The progress of retention in one tag: the step, and the last row that it processed. */
export type RetentionCursor = { step: number; position: number; idx: number }
/** A tag, and its number in large tables (0: it has none). */
type RetainedTag = { tagId: string; no: number }
/**
 * The result of a slice: its statements, the number of dropped rows, and the next cursor; undefined at the end of the
 * step.
 */
type RetentionSlice = { statements: WriteUnit; dropped: number; next: RetentionCursor | undefined }

/** Finds one slice of a tag. */
export type RetentionLook = (
  read: SqlReader,
  cutoffs: RetentionCutoffs,
  tag: RetainedTag,
  cursor: RetentionCursor,
) => RetentionSlice
