import { Fragment } from 'preact'
import { canSend } from '../../lib/boot.ts'
import type { ProviderType } from '../../lib/providers.ts'

const needs: Record<ProviderType, { what: string; settings: readonly string[] }> = {
  email: { what: 'e-mail', settings: ['BELFRY_SMTP_URL', 'BELFRY_MAIL_FROM'] },
  slack: { what: 'messages to Slack', settings: [] },
  telegram: { what: 'messages to Telegram', settings: ['BELFRY_TELEGRAM_API'] },
  sms: {
    what: 'text messages',
    settings: ['BELFRY_SMS_URL', 'BELFRY_SMS_ACCOUNT', 'BELFRY_SMS_TOKEN', 'BELFRY_SMS_FROM'],
  },
}

/** What is missing where this server cannot send messages of a kind. */
export function TransportNote({ type }: { type: ProviderType }) {
  if (canSend(type)) return null
  const { what, settings } = needs[type]
  return (
    <div class="notice notice-warn">
      <p>
        This server cannot send {what} yet. Whoever runs it has to set{' '}
        {settings.map((name, place) => (
          <Fragment key={name}>
            {place > 0 && (place === settings.length - 1 ? ' and ' : ', ')}
            <code>{name}</code>
          </Fragment>
        ))}
        . You can set the rest up already.
      </p>
    </div>
  )
}
