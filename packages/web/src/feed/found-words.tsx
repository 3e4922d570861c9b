import { useEffect } from 'react'

/** Marks the words of a search in the messages, without changing their elements. */
export function FoundWords({ words }: { words: string }) {
  useEffect(() => {
    const feed = document.querySelector('.feed-list')
    if (!feed || !('highlights' in CSS)) return
    const sought = [...words.toLowerCase().matchAll(/"([^"]+)"|([^\s"]+)/g)].map(([, phrase, word]) => phrase ?? word!)
    const mark = () => CSS.highlights.set('found', new Highlight(...placesOf(feed, sought)))
    mark()
    const observer = new MutationObserver(mark)
    observer.observe(feed, { childList: true, subtree: true, characterData: true })
    return () => {
      observer.disconnect()
      CSS.highlights.delete('found')
    }
  }, [words])
  return null
}

/** Where a word of the messages begins with one of these. */
function placesOf(feed: Element, sought: readonly string[]): Range[] {
  const places: Range[] = []
  for (const text of feed.querySelectorAll('.text')) {
    const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT)
    while (nodes.nextNode()) for (const word of sought) addPlaces(places, nodes.currentNode, word)
  }
  return places
}

function addPlaces(places: Range[], node: Node, word: string): void {
  const text = node.textContent!.toLowerCase()
  if (text.length !== node.textContent!.length) return // a few letters are longer in lower case
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    const range = document.createRange()
    range.setStart(node, at)
    range.setEnd(node, at + word.length)
    places.push(range)
  }
}
