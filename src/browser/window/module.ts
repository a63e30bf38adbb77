import { openGatedSession } from '../consentGate.ts'
import { openSdk, type Sdk } from '../sdk.ts'
import { buildInfo } from './buildInfo.ts'
import { installGlobal } from './globalFunction.ts'
import { windowPage } from './windowPage.ts'

let opened: Sdk | undefined
/** Opens the SDK at the first call, because server-side rendering also imports this file. */
const sdk = () => {
  if (!opened) {
    opened = openSdk(windowPage(), openGatedSession, buildInfo)
    installGlobal(opened)
  }
  return opened
}

export const version = buildInfo.version
export const init: Sdk['init'] = (...call) => sdk().init(...call)
export const tag: Sdk['tag'] = (...call) => sdk().tag(...call)
export const consent: Sdk['consent'] = (...call) => sdk().consent(...call)
export const getConsent: Sdk['getConsent'] = () => sdk().getConsent()
export const user: Sdk['user'] = (...call) => sdk().user(...call)
export const data: Sdk['data'] = (...call) => sdk().data(...call)
export const getData: Sdk['getData'] = (...call) => sdk().getData(...call)
export const keys: Sdk['keys'] = () => sdk().keys()
export const getUserId: Sdk['getUserId'] = () => sdk().getUserId()
export const isNewUser: Sdk['isNewUser'] = () => sdk().isNewUser()
export const ready: Sdk['ready'] = () => sdk().ready()
export const setConfig: Sdk['setConfig'] = (...call) => sdk().setConfig(...call)
