/**
 * The modules in guest/ run inside the isolate. Each function is sent as source text, so it can use only its arguments
 * and the language. `host` calls out of the isolate; `web` collects the globals of the customer's code.
 */
export type GuestHost = {
  /** Calls a function of the child's Node synchronously. Arguments and result are texts; bytes are latin1. */
  ask(name: string, ...texts: string[]): string
  /** Calls a function of the run's `calls`; arguments and value are JSON. */
  call(name: string, args: unknown[]): Promise<unknown>
  log(level: 'log' | 'error', text: string): void
}

// biome-ignore lint/suspicious/noExplicitAny: the classes are created inside the isolate and have no types outside
export type GuestGlobals = Record<string, any>
