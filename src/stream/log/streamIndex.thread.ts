import { runThread } from '#kit/thread.ts'
import { lowerThreadPriority } from '#kit/threadPriority.ts'
import { type IndexCommand, type IndexReply, openStreamIndex } from './streamIndex.ts'

lowerThreadPriority()
runThread<string, IndexCommand, IndexReply>(openStreamIndex)
