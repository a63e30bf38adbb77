import { createServer, type ServerResponse } from 'node:http'

/**
 * A vendor for the benchmarks, whose behaviour is in the path. `GET /told` returns the delays of each path's events, and
 * resets them; `GET /came` the number of events since then; `GET /count` the number of requests since the start.
 */
type Way = (response: ServerResponse) => void

const slowMs = 200
const ways: Readonly<Record<string, Way>> = {
  fast: (response) => response.end('{}'),
  slow: (response) => void setTimeout(() => response.end('{}'), slowMs),
  down: (response) => response.writeHead(503).end('{}'),
  limited: (response) => response.writeHead(429, { 'retry-after': '1' }).end('{}'),
  reset: (response) => response.destroy(),
  dead: () => {},
}

const lateMs = new Map<string, number[]>()
let count = 0

/** The sender writes the time of sending into each eventId: `bench-<epoch ms>-<number>`. */
function note(path: string, body: string): void {
  const late = lateMs.get(path) ?? []
  lateMs.set(path, late)
  const sentAt = /bench-(\d+)-/.exec(body)?.[1]
  if (sentAt) late.push(Date.now() - Number(sentAt))
}

const told = (late: number[]) => {
  late.sort((a, b) => a - b)
  const at = (share: number) => late[Math.min(late.length - 1, Math.floor(late.length * share))]
  return { count: late.length, p50: at(0.5), p99: at(0.99), max: late.at(-1) }
}

createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const [, way = '', name = ''] = request.url!.split('/')
    if (way === 'told') {
      response.end(JSON.stringify(Object.fromEntries([...lateMs].map(([path, late]) => [path, told(late)]))))
      return lateMs.clear()
    }
    if (way === 'came')
      return response.end(JSON.stringify(Object.fromEntries([...lateMs].map(([path, { length }]) => [path, length]))))
    if (way === 'count') return response.end(`${count}`)
    count++
    note(`${way}/${name}`, Buffer.concat(chunks).toString())
    ;(ways[way] ?? ways.fast!)(response)
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
