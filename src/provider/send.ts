import type { Provider } from './provider.ts'

/** A request as it goes over the wire: lower-case header names, the body as text. */
export type WireRequest = { method: string; url: string; headers: Record<string, string>; body?: string }

/** What came back; or that nothing did, and why. `body` is at most 64 KiB of text. */
export type Answer =
  | { status: number; headers: Record<string, string>; body: string; durationMs: number }
  | { failed: 'denied' | 'resolve' | 'connect' | 'timeout' | 'broken'; message: string; durationMs: number }

/** `host` decides whether the outbound guard looks at the address. */
export type SendRequest = (request: WireRequest, host: Provider['host']) => Promise<Answer>
