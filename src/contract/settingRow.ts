/** One setting. `read` gives undefined for a text that is not what the setting takes. A hidden one is never repeated in a message. */
export type SettingRow = { takes: string; help: string; read(text: string): unknown; isFlag?: true; isHidden?: true }

/** A whole number of at most seven digits between two bounds; undefined for any other text. */
export function readNumber(text: string, from: number, most = 65_535): number | undefined {
  const read = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN
  return read >= from && read <= most ? read : undefined
}
