import type { CapturedValues } from '#provider/form/request.ts'
import { percentDecoded } from '#provider/form/url.ts'

/** The cookie holds the click id, or a JSON object with it. */
export const clickIdOf = ({ twclid, _twclid }: CapturedValues): string | undefined =>
  twclid?.value ?? (_twclid && (/"twclid"\s*:\s*"([^"]+)"/.exec(percentDecoded(_twclid.value))?.[1] ?? _twclid.value))
