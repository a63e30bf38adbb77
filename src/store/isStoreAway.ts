import { isTemporary } from '#postgres/databaseError.ts'
import { Unwritable } from './store.ts'

/** The store cannot be read or written now, as while another node of a database takes over. It may recover. */
export const isStoreAway = (error: unknown): boolean => error instanceof Unwritable || isTemporary(error)
