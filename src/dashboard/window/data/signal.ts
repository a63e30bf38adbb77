import { signal } from '@preact/signals'
import type { Zone } from '#dashboard/words/format.ts'

type Theme = 'system' | 'light' | 'dark'

/** A preference of this browser. Only preferences are stored: no data and no secrets. */
const stored = <Value extends string>(name: string, values: readonly Value[], fallback: Value) => {
  const key = `aglet.${name}`
  const read = localStorage.getItem(key) as Value | null
  const value = signal(read !== null && values.includes(read) ? read : fallback)
  return {
    value,
    set(next: Value) {
      value.value = next
      if (next === fallback) localStorage.removeItem(key)
      else localStorage.setItem(key, next)
    },
  }
}

export const theme = stored<Theme>('theme', ['system', 'light', 'dark'], 'system')
export const zone = stored<Zone>('zone', ['local', 'utc'], 'local')
export const letters = stored<'on' | 'off'>('letters', ['on', 'off'], 'on')
/** Whether this browser notifies the person when a channel stops while a page is open. */
export const notifications = stored<'on' | 'off'>('notifications', ['on', 'off'], 'off')
/** The number of channels that stopped since the page was opened, shown in its title. */
export const stoppedCount = signal(0)

/** The team that was opened last, by environment. */
export const lastTeam = {
  get: (environment: string) => localStorage.getItem(`aglet.team.${environment}`) ?? undefined,
  set: (environment: string, teamId: string) => localStorage.setItem(`aglet.team.${environment}`, teamId),
}

/** Whether the server answered that nobody is signed in. */
export const signedOut = signal(false)
/** Whether the last call failed because there was no network. */
export const isOffline = signal(!navigator.onLine)
addEventListener('online', () => {
  isOffline.value = false
})
addEventListener('offline', () => {
  isOffline.value = true
})

/** The current time, updated every second while the page is visible, for texts such as "3 minutes ago". */
export const now = signal(Date.now())
setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 1_000)

export function applyTheme(next: Theme): void {
  theme.set(next)
  if (next === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = next
}
