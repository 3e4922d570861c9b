import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factsOf } from './page-facts.ts'

const page = 'https://example.com/a/b'

test('Open Graph comes before what HTML itself has, in any order', () => {
  const html = `<head><title>Plain</title><meta name="description" content="plain">
    <meta content="Graph" property="og:title"><meta property=og:description content='said "so"'>
    <meta property="og:image" content="../pic.png"></head>`
  assert.deepEqual(factsOf(html, page), {
    title: 'Graph',
    description: 'said "so"',
    image: 'https://example.com/pic.png',
  })
})

test('a page without Open Graph has its title and description', () => {
  const html = '<TITLE lang=en>\n A &amp; B </TITLE><meta name=Description content=short>'
  assert.deepEqual(factsOf(html, page), { title: 'A & B', description: 'short', image: undefined })
})

test('only the head counts, long texts are cut, and images have web addresses', () => {
  const html = `<meta property="og:title" content="${'x'.repeat(1000)}"><meta property="og:image" content="javascript:1">
    <body><meta property="og:description" content="from the body">`
  const { title, description, image } = factsOf(html, page)
  assert.deepEqual([title!.length, description, image], [200, undefined, undefined])
})

test('comments, scripts and unfinished tags hide nothing and invent nothing', () => {
  const html = `<!-- <meta property="og:title" content="comment"> --><script>'<meta property="og:title" content="script">'</script>
    <meta property="og:title" content="real"><meta property="og:image" content="unfinished`
  assert.deepEqual(factsOf(html, page), { title: 'real', description: undefined, image: undefined })
})
