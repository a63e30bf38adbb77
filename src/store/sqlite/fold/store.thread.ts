import { runThread } from '#kit/thread.ts'
import { openStoreWrites, type StoreAsk, type StoreReply } from './storeWrites.ts'

runThread<{ path: string; folder: string }, StoreAsk, StoreReply>(openStoreWrites)
