import { openReader } from '#kit/sqlite.ts'
import { runThread } from '#kit/thread.ts'
import { lowerThreadPriority } from '#kit/threadPriority.ts'
import { answering, type QueryAnswer, type QueryAsk } from './queries.ts'
import { reading } from './read.ts'

runThread<{ path: string }, QueryAsk, QueryAnswer>(({ path }) => {
  lowerThreadPriority() // what takes and delivers events goes first
  const db = openReader(path)
  return { answer: answering(reading(db)), close: () => db.close() }
})
