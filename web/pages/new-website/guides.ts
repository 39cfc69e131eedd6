/** The kinds of websites that have a guide for installing the tracking snippet, and the code for those that need another form. */

export const guideKeys = ['html', 'wordpress', 'nextjs', 'ghost', 'shopify', 'webflow', 'tag-manager'] as const
export type GuideKey = (typeof guideKeys)[number]

export const guideLabels: Record<GuideKey, string> = {
  html: 'HTML',
  wordpress: 'WordPress',
  nextjs: 'Next.js',
  ghost: 'Ghost',
  shopify: 'Shopify',
  webflow: 'Webflow',
  'tag-manager': 'Google Tag Manager',
}

interface Snippet {
  scriptUrl: string
  domain: string
}

export const buildNextScript = ({ scriptUrl, domain }: Snippet) =>
  `<Script src="${scriptUrl}" data-domain="${domain}" />`

/** Google Tag Manager removes attributes such as `data-domain` from script elements, so a script sets them. */
export const buildTagManagerScript = ({ scriptUrl, domain }: Snippet) => `<script>
  (function () {
    var script = document.createElement('script')
    script.defer = true
    script.src = '${scriptUrl}'
    script.setAttribute('data-domain', '${domain}')
    document.head.appendChild(script)
  })()
</script>`
