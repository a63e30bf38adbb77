import { createServer } from 'node:http'

/** The baseline of all measurements: node:http that parses the JSON and answers, and does nothing else. */
createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const event = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { eventId?: string }
    const body = JSON.stringify({ result: { eventId: event.eventId, userId: 'usr_', status: 'accepted' } })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
