export const OnOffTag = ({ isOn }: { isOn: boolean }) => (
  <span class={isOn ? 'tag security-on' : 'tag'}>{isOn ? 'On' : 'Off'}</span>
)
