import type { Database } from '#postgres/database.ts'
import type { RetentionCutoffs } from '#store/deliveryQueries.ts'

/** The progress of retention: the step, and the last row that it processed. */
export type RetentionPlace = { step: number; tag: string; position: number; idx: number }
/** The number of dropped rows of a slice, and the next cursor; undefined at the end of the step. */
type DroppedSlice = { dropped: number; next: RetentionPlace | undefined }

/** Drops one slice. */
export type RetentionStep = (
  database: Database,
  cutoffs: RetentionCutoffs,
  cursor: RetentionPlace,
) => Promise<DroppedSlice>
