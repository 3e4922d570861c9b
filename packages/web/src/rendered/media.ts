/** As for the text that the server makes a player of. */
const audioPath = /\.(?:aac|flac|m4a|mp3|oga|ogg|opus|wav|weba)$/i

/** Pictures that fail leave their link, videos have controls, uploaded sounds a player; other files are shown as cards. */
export function finishMedia(content: DocumentFragment): void {
  const shown = [...content.querySelectorAll('.message_inline_image a')].map((link) => link.getAttribute('href'))
  for (const image of content.querySelectorAll('img')) {
    // The content is replaced as a whole when it changes, and with it these.
    const links = [...content.querySelectorAll('a')]
    // Those from elsewhere have none.
    if (!image.hasAttribute('src')) leaveLink(image, links)
    else image.addEventListener('error', () => leaveLink(image, links))
  }
  for (const video of content.querySelectorAll('video')) showVideo(video)
  for (const link of content.querySelectorAll<HTMLAnchorElement>('a[href^="/user_uploads/"]'))
    if (audioPath.test(link.pathname)) addPlayer(link)
    else if (!shown.includes(link.getAttribute('href')) && endsLine(link)) makeCard(link)
}

/** A link inside a sentence stays one. */
function endsLine({ parentElement, nextSibling }: HTMLAnchorElement): boolean {
  return parentElement?.localName === 'p' && (!nextSibling || nextSibling.nodeName === 'BR')
}

function makeCard(link: HTMLAnchorElement): void {
  link.className = 'file-card'
  link.dataset.kind = /\.(\w{1,4})$/.exec(link.pathname)?.[1] ?? ''
}

/** What an image stands for, unless it is in the text anyway. */
function leaveLink(image: HTMLImageElement, links: readonly HTMLAnchorElement[]): void {
  const preview = image.closest('.message_inline_image') ?? image
  const link = image.closest('a')
  const isYoutube = preview.classList.contains('youtube-video')
  const isInText = links.some((one) => one !== link && one.href === link?.href)
  if (isYoutube || isInText) return preview.remove()
  image.replaceWith(image.alt || link?.title || link?.href || '')
}

/** In place of its preview, a link that would open it in another window. */
function showVideo(video: HTMLVideoElement): void {
  video.controls = true
  video.closest('a')?.replaceWith(video)
}

function addPlayer(link: HTMLAnchorElement): void {
  const player = document.createElement('audio')
  Object.assign(player, { controls: true, preload: 'none', src: link.href })
  player.setAttribute('aria-label', link.textContent)
  const block = link.closest('p')
  if (block) block.after(player)
  else link.after(player)
}
