import { runThread } from '#kit/thread.ts'
import { openStoreWrites, type StoreAsk, type StoreReply } from './storeWrites.ts'

// This thread may start while the process appends, so it folds only what it is asked to: all that is in the log for certain.
runThread<{ path: string; folder: string }, StoreAsk, StoreReply>((at) => openStoreWrites(at, { foldsNow: false }))
