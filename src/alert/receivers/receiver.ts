import type { AlertText } from '#alert/alertText.ts'
import type { HostKind } from '#provider/form/hostKind.ts'
import type { RequestSpec } from '#provider/form/request.ts'

export type ReceiverRequest = { spec: RequestSpec; host: HostKind }

/** Truncates a text to a limit of a receiver, in characters. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`

export const colours: Readonly<Record<AlertText['state'], number>> = {
  started: 0xc62828,
  repeated: 0xc62828,
  ended: 0x2e7d32,
  test: 0x546e7a,
}
