import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { CaptureBeforeConsent, InitResponse } from '#contract/edgeResponses.ts'
import { openSdkAssets, type SdkAdapters } from '../../src/edge/sdkAssets.ts'
import { readSdkBuilds, sdkFolder } from '../../src/manifest/sdkBuilds.ts'

export type EdgeRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: unknown
}

/** A fake tag that accepts everything and records its requests. `answer` may return another status. */
export async function openEdge(rows: InitResponse['result'] = []) {
  const asked: EdgeRequest[] = []
  const findAsset = openSdkAssets(readSdkBuilds(sdkFolder), 'service')
  const captureBeforeConsent: CaptureBeforeConsent = 'all'
  const adapters: SdkAdapters = { names: [] }
  const edge = { rows, adapters, answer: (_: EdgeRequest): number => 200 }
  const resultOf = ({ path, body }: EdgeRequest): unknown => {
    if (path === '/init') return { result: edge.rows, userId: 'usr_fake', isNewUser: true, session: {}, consent: null }
    return { result: Array.isArray(body) ? body.map(() => ({ status: 'accepted' })) : { status: 'accepted' } }
  }
  const server = createServer(async (request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url!, 'http://edge')
    const body = await text(request)
    const ask = { method: request.method!, path, query, headers: request.headers, body: body && JSON.parse(body) }
    asked.push(ask)
    const status = edge.answer(ask)
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '*')
    response.setHeader('access-control-allow-credentials', 'true')
    response.statusCode = status
    if (query.get('settings') === 'true') return response.end(JSON.stringify({ captureBeforeConsent }))
    if (path !== '/load') return response.end(JSON.stringify(status === 200 ? resultOf(ask) : { message: 'not now' }))
    const version = query.get('version') ?? undefined
    const module = query.get('module') ?? undefined
    const asset = findAsset({
      ...{ version, module, captureBeforeConsent, adapters: edge.adapters },
      providers: edge.rows.map((row) => row.package),
    })
    response.setHeader('content-type', 'text/javascript')
    return response.end(asset ? asset.encoded.at(-1)!.body : '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(edge, {
    asked,
    to: (path: string) => asked.filter((ask) => ask.path === path),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}
