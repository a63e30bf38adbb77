import pg from 'pg'

/** Runs one statement on a connection of its own, and returns its rows. Rejects with the error of the server. */
export async function queryOnce(server: pg.ClientConfig, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
