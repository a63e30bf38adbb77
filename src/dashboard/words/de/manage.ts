import type { Role } from '#contract/account.ts'
import type * as english from '../en/manage.ts'
import { plural } from '../format.ts'
import type { Translated } from '../translated.ts'

const roleNames: Record<Role, string> = { owner: 'Inhaber', editor: 'Bearbeiter', viewer: 'Betrachter' }

/** Texts that the pages of settings and of governance share. */
export const manageWords: Translated<typeof english.manageWords> = {
  actor: (by) =>
    ({ operator: 'der Betreiber', aglet: 'Aglet' })[by] ?? (by.startsWith('tok_') ? `Token\u00A0…${by.slice(-6)}` : by),
  actions: 'Aktionen',
  more: 'Mehr laden',
  role: (role) => roleNames[role],
  roleText: {
    owner: 'Alles, und wer was darf',
    editor: 'Tags, Kanäle, Ereignisse und Besucher',
    viewer: 'Liest, ohne Besucher und Protokoll',
  },
  hookErrors: 'Ihre Hooks haben das Deployment abgelehnt:',
  changedTitle: 'Jemand anderes hat dies geändert',
  changedText: 'Es wurde gespeichert, seit Sie es geöffnet haben. Ihre Änderungen stehen noch im Formular.',
  field: 'Einstellung',
  mine: 'Ihr Wert',
  theirs: 'Jetzt gespeichert',
  keepMine: 'Mit meinen Werten überschreiben',
  takeTheirs: 'Gespeicherte laden',
}

/** Texts of members and invitations. */
export const memberWords: Translated<typeof english.memberWords> = {
  intro: 'Die Personen dieses Teams, und was jede darf.',
  person: 'Person',
  role: 'Rolle',
  you: 'Sie',
  invite: 'Einladen',
  inviteTitle: 'Person einladen',
  inviteText: 'Sie erhalten einen Link, der einmal gilt.',
  emailHint: 'Freiwillig. Wenn dieser Server Mails sendet, geht der Link dorthin. Gezeigt wird er Ihnen immer.',
  expires: 'Der Link gilt',
  lives: { '1d': '1 Tag', '7d': '7 Tage', '30d': '30 Tage' },
  create: 'Link erstellen',
  linkTitle: 'Die Einladung',
  linkMailed:
    'Eine Mail mit diesem Link ist unterwegs. Er wird nur einmal gezeigt. Wer ihn zuerst öffnet, tritt dem Team bei.',
  linkNote: 'Kopieren Sie den Link jetzt: Er wird nur einmal gezeigt. Wer ihn zuerst öffnet, tritt dem Team bei.',
  link: 'Link',
  invitations: 'Offene Einladungen',
  noInvitations: 'Keine offenen Einladungen',
  changeRole: (name) => `Rolle von ${name}`,
  changeTitle: (name, role) => `${name} die Rolle ${roleNames[role]} geben?`,
  changeText: 'Der Zugriff, den diese Person Anwendungen gewährt hat, endet.',
  change: 'Rolle ändern',
  removeTitle: (name) => `${name} entfernen?`,
  removeText: 'Die Person verliert den Zugriff sofort. Was sie getan hat, bleibt im Protokoll.',
  leave: 'Team verlassen',
  members: (n) => plural(n, 'Person', 'Personen'),
}
