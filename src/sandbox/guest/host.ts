/**
 * What is below guest/ runs inside the isolate. Each function is sent there as its own text, so it may use nothing but what
 * it is handed and what the language has. `host` is the way out, `web` gathers what the customer's code will find.
 */
export type Host = {
  /** Asks the child's own Node, at once: what the language lacks. Texts only; bytes are latin1. */
  ask(what: string, ...texts: string[]): string
  /** Calls what the run was given; arguments and value are JSON. */
  call(name: string, args: unknown[]): Promise<unknown>
  log(level: 'log' | 'error', text: string): void
}

// biome-ignore lint/suspicious/noExplicitAny: the classes are made inside the isolate and are known there alone
export type Web = Record<string, any>
