import { useState } from 'preact/hooks'
import { type DashboardLanguage, dashboardLanguages } from '#contract/dashboardLanguage.ts'
import { ownWords as words } from '#dashboard/words/en/account.ts'
import { chooseLanguage, chosenLanguage } from '../../data/language.ts'
import { notifications } from '../../data/signal.ts'
import { CheckRow, SelectField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'

const canNotify = () => 'Notification' in window && Notification.permission !== 'denied'

/** Asks the browser for its permission when it is switched on. */
function NotifyChoice() {
  const [isBlocked, setBlocked] = useState(notifications.value.value === 'on' && !canNotify())
  const change = async (isOn: boolean) => {
    notifications.set(isOn ? 'on' : 'off')
    if (isOn && canNotify()) await Notification.requestPermission().catch(() => 'denied')
    setBlocked(isOn && !(canNotify() && Notification.permission === 'granted'))
  }
  return (
    <div class="field">
      <CheckRow
        label={words.notify}
        value={notifications.value.value === 'on'}
        onChange={(isOn) => void change(isOn)}
      />
      <p class="hint">{words.notifyHint}</p>
      <p class="hint" role="status">
        {isBlocked && words.notifyBlocked}
      </p>
    </div>
  )
}

/** The settings that are stored in this browser only: the language of the texts, and whether it notifies. */
export function BrowserPanel() {
  return (
    <Panel title={words.browser} note={words.browserNote}>
      <SelectField
        label={words.language}
        options={[['', words.browserLanguage], ...Object.entries(dashboardLanguages)]}
        value={chosenLanguage() ?? ''}
        onChange={(language) => chooseLanguage((language || undefined) as DashboardLanguage)}
      />
      <NotifyChoice />
    </Panel>
  )
}
