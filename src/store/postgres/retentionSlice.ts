import type { Database } from '#postgres/database.ts'
import type { RetentionCutoffs } from '#store/deliveryQueries.ts'

/** The progress of retention in one tag: the step, and the last row that it processed. */
export type RetentionPlace = { step: number; position: number; idx: number }
/** The number of dropped rows of a slice, and the next cursor; undefined at the end of the step. */
type DroppedSlice = { dropped: number; next: RetentionPlace | undefined }

/** Drops one slice of a tag. */
export type RetentionStep = (
  database: Database,
  cutoffs: RetentionCutoffs,
  tagId: string,
  cursor: RetentionPlace,
) => Promise<DroppedSlice>
