import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type * as english from '../en/status.ts'
import type { Translated } from '../translated.ts'

const statuses: Record<DeliveryStatus, string> = {
  held: 'zurückgehalten',
  pending: 'wartet',
  delivered: 'zugestellt',
  simulated: 'simuliert',
  skipped: 'nicht gesendet',
  refused: 'abgelehnt',
  dead: 'gescheitert',
}

const reasons: Record<DeliveryReason, string> = {
  consent: 'Einwilligung',
  region: 'Region',
  notSelected: 'nicht ausgewählt',
  filtered: 'ausgefiltert',
  identityMissing: 'Besucher unbekannt',
  eventNotSupported: 'Ereignis nicht unterstützt',
  tooOld: 'zu alt',
  duplicate: 'doppelt',
  keyRejected: 'Schlüssel abgelehnt',
  payloadRefused: 'Inhalt abgelehnt',
  addressNotAllowed: 'Adresse nicht erlaubt',
  vendorDown: 'Anbieter gestört',
  throttled: 'gedrosselt',
  poison: 'stört den Kanal',
  expired: 'abgelaufen',
  erased: 'gelöscht',
}

/** The words of statuses and reasons: the same on every page. */
export const statusWords: Translated<typeof english.statusWords> = {
  status: (status) => statuses[status],
  reason: (reason) => reasons[reason],
  both: (status, reason) => (reason ? `${statuses[status]}: ${reasons[reason]}` : statuses[status]),
  channel: {
    ok: 'in Ordnung',
    paused: 'angehalten',
    keyRejected: 'Schlüssel abgelehnt',
    vendorDown: 'Anbieter gestört',
    throttled: 'gedrosselt',
    draft: 'Entwurf',
  },
  health: { stopped: 'angehalten', failing: 'fehlerhaft', waiting: 'wartet', ok: 'in Ordnung', quiet: 'ruhig' },
}
