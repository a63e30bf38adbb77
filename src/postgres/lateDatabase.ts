import type { Database } from './database.ts'
import { DatabaseAway } from './databaseError.ts'
import type { Listener } from './listen.ts'

/** A database that runs no statement until it is checked. */
type LateDatabase = Database & {
  /** Allows statements from now on. */
  open(): void
}

/** Until `open`, statements fail as if the database were away: it may be the wrong one, or not migrated. */
export function openLateDatabase(database: Database): LateDatabase {
  let isOpen = false
  let opened = () => {}
  const whenOpen = new Promise<void>((resolve) => {
    opened = resolve
  })
  async function checked(): Promise<void> {
    if (!isOpen) throw new DatabaseAway('the database has not responded since the start')
  }
  return {
    ...database,
    sql: (async (text, values) => {
      await checked()
      return database.sql(text, values)
    }) as Database['sql'],
    async transaction(work) {
      await checked()
      return database.transaction(work)
    },
    listen(channel, callbacks) {
      let listener: Listener | undefined
      let isClosed = false
      void whenOpen.then(() => {
        if (!isClosed) listener = database.listen(channel, callbacks)
      })
      return {
        async close() {
          isClosed = true
          await listener?.close()
        },
      }
    },
    open() {
      isOpen = true
      opened()
    },
  }
}
