/** A number that only grows. */
export type Counter = { add(by?: number): void }

/** Where numbers are kept until the metrics page reads them: adding costs an addition. */
export type Meter = {
  /** The same name and labels give the same counter. Names and help as Prometheus wants them: `aglet_events_total`. */
  counter(name: string, help: string, labels?: Record<string, string>): Counter
  /** A number that is asked for when the page is read. */
  gauge(name: string, help: string, read: () => number, labels?: Record<string, string>): void
}

export const noMeter: Meter = { counter: () => ({ add() {} }), gauge() {} }
