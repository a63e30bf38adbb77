/** A message of a stream of server-sent events, with its data parsed as JSON. */
export type StreamMessage<Data> = { event: string; id?: string; data: Data }

/** Parses one block of lines (HTML, 9.2). Undefined for a comment. */
function parseMessage(block: string): StreamMessage<unknown> | undefined {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ')
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2))
  }
  const [data, id] = [fields.get('data'), fields.get('id')]
  if (data === undefined) return undefined
  return { event: fields.get('event') ?? 'message', ...(id !== undefined && { id }), data: JSON.parse(data) }
}

/** Yields the messages of a stream until it ends. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage<unknown>> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const blocks = (rest + part.value).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) {
        const message = parseMessage(block)
        if (message) yield message
      }
    }
  } finally {
    await reader.cancel()
  }
}
