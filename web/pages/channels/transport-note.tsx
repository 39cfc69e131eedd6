import { Fragment } from 'preact'
import { GoLiveNotice } from '../../components/go-live-notice.tsx'
import { Notice } from '../../components/notice.tsx'
import { canSend } from '../../lib/boot.ts'
import type { ChannelType } from '../../lib/channels.ts'

/** The server settings that a channel type requires for sending messages. Types that aren't listed require none. */
const transportRequirements: Partial<Record<ChannelType, { messageLabel: string; settings: readonly string[] }>> = {
  sms: {
    messageLabel: 'text messages',
    settings: ['BELFRY_SMS_URL', 'BELFRY_SMS_ACCOUNT', 'BELFRY_SMS_TOKEN', 'BELFRY_SMS_FROM'],
  },
}

/** Names the missing settings if this server can't send messages of this type. */
export function TransportNote({ type }: { type: ChannelType }) {
  if (type === 'email' && !canSend(type)) {
    return (
      <GoLiveNotice needs={['mail', 'url']}>
        This server can't send email yet. You can set up everything else now.
      </GoLiveNotice>
    )
  }
  const requirement = transportRequirements[type]
  if (requirement === undefined || canSend(type)) return null
  const { messageLabel, settings } = requirement
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
