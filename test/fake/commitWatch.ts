/** The part of a chunk to pass on, and whether it completed the withheld answer of a commit. */
type Watched = { pass: Buffer; hasSwallowed: boolean }

/** Message types of the server. Source: https://www.postgresql.org/docs/15/protocol-message-formats.html */
const commandComplete = 'C'
const readyForQuery = 'Z'
const headBytes = 5

/** The tags of statements that write, as CommandComplete names them. `WITH … INSERT … SELECT` has the tag SELECT. */
const isWrite = (tag: string) => /^(INSERT|UPDATE|DELETE|MERGE) /.test(tag)

/**
 * Reads the messages of a PostgreSQL server on one connection without TLS. While armed, it withholds the answer of the next
 * commit, from its CommandComplete to ReadyForQuery, which the server sends after the commit. A writing statement outside a
 * transaction block also commits.
 */
export function createCommitWatch(): (chunk: Buffer, isArmed: boolean) => Watched {
  let held = Buffer.alloc(0)
  let isInBlock = false
  let isSwallowing = false

  /** Whether this message is the first of a commit's answer. */
  function isCommit(type: string, body: Buffer): boolean {
    if (type !== commandComplete) return false
    const tag = body.toString('latin1', 0, body.length - 1)
    if (tag === 'BEGIN') isInBlock = true
    return tag === 'COMMIT' || (!isInBlock && isWrite(tag))
  }
  /** The length of the next message, if all of it is there. */
  function nextLength(): number | undefined {
    if (held.length < headBytes) return undefined
    const length = 1 + held.readUInt32BE(1)
    return held.length < length ? undefined : length
  }
  return (chunk, isArmed) => {
    held = Buffer.concat([held, chunk])
    const passed: Buffer[] = []
    for (let length = nextLength(); length !== undefined; length = nextLength()) {
      const message = held.subarray(0, length)
      const type = String.fromCharCode(message[0]!)
      held = held.subarray(length)
      if (isCommit(type, message.subarray(headBytes)) && isArmed) isSwallowing = true
      if (!isSwallowing) passed.push(message)
      if (type !== readyForQuery) continue
      isInBlock = message[headBytes] !== 'I'.charCodeAt(0)
      if (isSwallowing) return { pass: Buffer.concat(passed), hasSwallowed: true }
    }
    return { pass: Buffer.concat(passed), hasSwallowed: false }
  }
}
