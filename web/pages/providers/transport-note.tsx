import { Fragment } from 'preact'
import { Notice } from '../../components/notice.tsx'
import { canSend } from '../../lib/boot.ts'
import type { ChannelType } from '../../lib/providers.ts'

/** The server settings that each type of channel requires. Slack requires none. */
const transportRequirements: Record<ChannelType, { messageLabel: string; settings: readonly string[] }> = {
  email: { messageLabel: 'email', settings: ['BELFRY_SMTP_URL', 'BELFRY_MAIL_FROM'] },
  slack: { messageLabel: 'Slack messages', settings: [] },
  telegram: { messageLabel: 'Telegram messages', settings: ['BELFRY_TELEGRAM_API'] },
  sms: {
    messageLabel: 'text messages',
    settings: ['BELFRY_SMS_URL', 'BELFRY_SMS_ACCOUNT', 'BELFRY_SMS_TOKEN', 'BELFRY_SMS_FROM'],
  },
}

/** Names the missing settings if this server can't send messages of this type. */
export function TransportNote({ type }: { type: ChannelType }) {
  if (canSend(type)) return null
  const { messageLabel, settings } = transportRequirements[type]
  return (
    <Notice tone="warn">
      <p>
        This server can't send {messageLabel} yet. The server operator needs to set{' '}
        {settings.map((name, index) => (
          <Fragment key={name}>
            {index > 0 && (index === settings.length - 1 ? ' and ' : ', ')}
            <code>{name}</code>
          </Fragment>
        ))}
        . You can set up everything else now.
      </p>
    </Notice>
  )
}
