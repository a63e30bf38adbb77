import { createServer } from 'node:http'
import { Pool } from 'undici'

/** The baseline of deliveries: node:http that answers and forwards each event to five addresses, and stores nothing. */
const [, , port, vendor = '', channels = '5'] = process.argv
const pool = new Pool(vendor, { connections: 256 })

async function forward(path: string, body: string): Promise<void> {
  const { eventId, data } = JSON.parse(body)
  const answer = await pool.request({
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ eventId, data }),
  })
  await answer.body.dump()
}

createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString()
    if (body !== '') for (let n = 0; n < Number(channels); n++) void forward(`/fast/${n}`, body)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
}).listen(Number(port), '127.0.0.1')
