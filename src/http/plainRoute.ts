type PlainRequest = { query: unknown; params: unknown; body: unknown }
export type PlainReply = {
  status(code: number): PlainReply
  header(name: string, value: string): PlainReply
  type(value: string): PlainReply
  send(body: unknown): unknown
}
export type PlainRoute = (request: PlainRequest, reply: PlainReply) => Promise<unknown>

/** The part of a web framework that the routes of every role need. */
export type PlainApp = {
  get(path: string, route: PlainRoute): unknown
  post(path: string, route: PlainRoute): unknown
}
