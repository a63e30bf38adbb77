import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from './database.ts'
import { DatabaseAway } from './databaseError.ts'
import { openLateDatabase } from './lateDatabase.ts'

function noted() {
  const calls: string[] = []
  const database: Database = {
    schema: 's',
    sql: (async (text: string) => {
      calls.push(text)
      return []
    }) as Database['sql'],
    async transaction(work) {
      calls.push('BEGIN')
      return work(this.sql)
    },
    listen(channel) {
      calls.push(`LISTEN ${channel}`)
      return { close: async () => void calls.push(`UNLISTEN ${channel}`) }
    },
    connections: () => ({ open: 0, idle: 0, waiting: 0 }),
    close: async () => {},
  }
  return { calls, database }
}

const callbacks = { notified() {}, connected() {} }

test('no statement runs on a database that was not checked, and all run once it is open', async () => {
  const { calls, database } = noted()
  const late = openLateDatabase(database)
  await assert.rejects(late.sql('SELECT 1'), DatabaseAway)
  await assert.rejects(
    late.transaction(async () => {}),
    DatabaseAway,
  )
  assert.deepEqual(calls, [])
  late.open()
  await late.sql('SELECT 1')
  await late.transaction(async () => {})
  assert.deepEqual(calls, ['SELECT 1', 'BEGIN'])
})

test('who listens before the database is open hears it from then on, unless it was closed', async () => {
  const { calls, database } = noted()
  const late = openLateDatabase(database)
  const listener = late.listen('change', callbacks)
  await late.listen('todo', callbacks).close()
  late.open()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(calls, ['LISTEN change'])
  await listener.close()
  assert.deepEqual(calls, ['LISTEN change', 'UNLISTEN change'])
})
