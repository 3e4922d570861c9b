/** Sites that a profile can have accounts of, with the label of the field and the URL pattern of a user's page, or ''. */
const sites: [subtype: string, text: string, account: string, urlPattern: string][] = [
  ['atlassian', 'Atlassian', 'account ID', ''],
  ['behance', 'Behance', 'username', 'https://www.behance.net/%(username)s'],
  ['bitbucket', 'Bitbucket', 'username', 'https://bitbucket.org/%(username)s'],
  ['bluesky', 'Bluesky', 'handle', 'https://bsky.app/profile/%(username)s'],
  ['codeberg', 'Codeberg', 'username', 'https://codeberg.org/%(username)s'],
  ['discord', 'Discord', 'tag', ''],
  ['dribbble', 'Dribbble', 'username', 'https://dribbble.com/%(username)s'],
  ['facebook', 'Facebook', 'username', 'https://www.facebook.com/%(username)s'],
  ['github', 'GitHub', 'username', 'https://github.com/%(username)s'],
  ['gitlab', 'GitLab', 'username', 'https://gitlab.com/%(username)s'],
  ['instagram', 'Instagram', 'username', 'https://www.instagram.com/%(username)s'],
  ['linkedin', 'LinkedIn', 'profile name', 'https://www.linkedin.com/in/%(username)s'],
  ['mastodon', 'Mastodon', 'profile', '%(username)s'],
  ['medium', 'Medium', 'username', 'https://medium.com/@%(username)s'],
  ['pinterest', 'Pinterest', 'username', 'https://www.pinterest.com/%(username)s'],
  ['reddit', 'Reddit', 'username', 'https://www.reddit.com/user/%(username)s'],
  ['snapchat', 'Snapchat', 'username', 'https://www.snapchat.com/add/%(username)s'],
  ['threads', 'Threads', 'username', 'https://www.threads.net/@%(username)s'],
  ['tiktok', 'TikTok', 'username', 'https://www.tiktok.com/@%(username)s'],
  ['twitch', 'Twitch', 'username', 'https://www.twitch.tv/%(username)s'],
  ['x', 'X', 'username', 'https://x.com/%(username)s'],
  ['youtube', 'YouTube', 'handle', 'https://www.youtube.com/%(username)s'], // a handle begins with @
]

export const externalAccounts = Object.fromEntries(
  sites.map(([subtype, text, account, url_pattern]) => {
    const hint = subtype === 'mastodon' ? 'The full URL to your profile' : ''
    return [subtype, { name: `${text} ${account}`, text, hint, url_pattern }]
  }),
)
