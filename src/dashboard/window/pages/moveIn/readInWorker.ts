import type { ImportAnswer, ImportAsked } from './importWorker.ts'

/** The part of Trusted Types that a worker needs; TypeScript does not have it yet. */
type TrustedTypes = {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined

/** An address that the page's Content-Security-Policy allows for a worker. */
function trustedAddress(address: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  policy ??= trustedTypes?.createPolicy('aglet-worker', { createScriptURL: (url) => url })
  return policy?.createScriptURL(address) ?? address
}

const longestMs = 30_000

/** Reads an export in a worker. Returns `tooSlow` after 30 seconds. */
export async function readInWorker(asked: ImportAsked, signal: AbortSignal): Promise<ImportAnswer | { tooSlow: true }> {
  const { workerAddress } = await import('./importWorker.ts')
  const worker = new Worker(trustedAddress(workerAddress), { type: 'module' })
  const { promise, resolve } = Promise.withResolvers<ImportAnswer | { tooSlow: true }>()
  const timer = setTimeout(() => resolve({ tooSlow: true }), longestMs)
  worker.onmessage = ({ data }: MessageEvent<ImportAnswer>) => resolve(data)
  worker.onerror = () => resolve({ failed: true })
  signal.addEventListener('abort', () => resolve({ failed: true }))
  worker.postMessage(asked)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    worker.terminate()
  }
}
