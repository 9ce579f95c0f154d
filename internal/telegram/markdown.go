package telegram

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-telegram/bot/models"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// This file makes what a model writes, Markdown as it comes, into what Telegram shows: a text without marks, and
// entities that say which part of it is bold, code or a link. No mark can be broken so, and no text is refused for one.

// rich is a text with its entities, whose offsets count UTF-16 units.
type rich struct {
	text     string
	entities []models.MessageEntity
}

// plain is a text without entities.
func plain(s string) rich { return rich{text: strings.ToValidUTF8(s, "")} }

// maxMarkdown is how long a text is read as Markdown; a longer one is shown as it is.
const maxMarkdown = 64 << 10

var markdown = goldmark.New(goldmark.WithExtensions(extension.Strikethrough, extension.Table)).Parser()

// read makes a text in Markdown rich.
func read(md string) rich {
	md = strings.ReplaceAll(strings.ToValidUTF8(md, ""), "\x00", "")
	if len(md) > maxMarkdown {
		return plain(md)
	}
	p := page{source: []byte(md)}
	p.blocks(markdown.Parse(text.NewReader(p.source)), 0)
	out := rich{text: p.text.String(), entities: p.entities}
	if strings.TrimSpace(out.text) == "" {
		return plain(md)
	}
	return out
}

// page is what is written so far.
type page struct {
	source   []byte
	text     strings.Builder
	units    int // UTF-16 units of text
	entities []models.MessageEntity
	quoted   bool // within a quotation, which cannot hold another one
}

func (p *page) write(s string) {
	p.text.WriteString(s)
	for _, r := range s {
		p.units += utf16.RuneLen(r)
	}
}

// as writes what fn writes as an entity.
func (p *page) as(e models.MessageEntity, fn func()) {
	e.Offset = p.units
	at := len(p.entities)
	fn()
	if e.Length = p.units - e.Offset; e.Length > 0 {
		p.entities = append(p.entities, e)
		copy(p.entities[at+1:], p.entities[at:]) // an entity stands before those in it
		p.entities[at] = e
	}
}

// maxDepth is how deep lists and quotations are shown as such.
const maxDepth = 16

// blocks writes the children of a block, with a line between paragraphs.
func (p *page) blocks(n ast.Node, depth int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.PreviousSibling() != nil {
			p.write(between(n, c))
		}
		p.block(c, depth)
	}
}

// between is what parts a block from the one before it.
func between(parent, c ast.Node) string {
	if item, ok := parent.(*ast.ListItem); ok {
		if list, ok := item.Parent().(*ast.List); ok && list.IsTight {
			return "\n"
		}
	}
	if _, ok := c.(*ast.List); ok && c.PreviousSibling().Kind() == ast.KindParagraph && !c.HasBlankPreviousLines() {
		return "\n"
	}
	return "\n\n"
}

func (p *page) block(n ast.Node, depth int) {
	if depth > maxDepth {
		p.raw(n)
		return
	}
	switch n := n.(type) {
	case *ast.Heading:
		p.as(models.MessageEntity{Type: models.MessageEntityTypeBold}, func() { p.inlines(n) })
	case *ast.FencedCodeBlock:
		p.as(models.MessageEntity{Type: models.MessageEntityTypePre, Language: string(n.Language(p.source))}, func() { p.raw(n) })
	case *ast.CodeBlock:
		p.as(models.MessageEntity{Type: models.MessageEntityTypePre}, func() { p.raw(n) })
	case *ast.HTMLBlock:
		p.raw(n)
	case *ast.Blockquote:
		p.quote(n, depth)
	case *ast.List:
		p.list(n, depth)
	case *ast.ThematicBreak:
		p.write("———")
	case *east.Table:
		p.as(models.MessageEntity{Type: models.MessageEntityTypePre}, func() { p.table(n) })
	default:
		p.inlines(n)
	}
}

// raw writes the lines of a block as they stand.
func (p *page) raw(n ast.Node) {
	if n.Type() != ast.TypeBlock {
		return
	}
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(p.source))
	}
	p.write(strings.TrimRight(b.String(), "\n"))
}

func (p *page) quote(n ast.Node, depth int) {
	if p.quoted {
		p.blocks(n, depth+1)
		return
	}
	p.quoted = true
	p.as(models.MessageEntity{Type: models.MessageEntityTypeBlockquote}, func() { p.blocks(n, depth+1) })
	p.quoted = false
}

func (p *page) list(n *ast.List, depth int) {
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch {
		case c.PreviousSibling() == nil:
		case n.IsTight:
			p.write("\n")
		default:
			p.write("\n\n")
		}
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		p.write(strings.Repeat("  ", listsAbove(n)) + mark)
		p.blocks(c, depth+1)
	}
}

// listsAbove counts the lists that a list stands in.
func listsAbove(n ast.Node) (deep int) {
	for up := n.Parent(); up != nil && deep < maxDepth; up = up.Parent() {
		if up.Kind() == ast.KindList {
			deep++
		}
	}
	return deep
}

// table writes a table row by row, its cells in their words only: it stands as code, which holds no other entity.
func (p *page) table(n ast.Node) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		if row.PreviousSibling() != nil {
			p.write("\n")
		}
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if cell.PreviousSibling() != nil {
				p.write(" | ")
			}
			was := len(p.entities)
			p.inlines(cell)
			p.entities = p.entities[:was]
		}
	}
}

func (p *page) inlines(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		p.inline(c)
	}
}

func (p *page) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		p.write(words(n, p.source))
	case *ast.String:
		p.write(string(n.Value))
	case *ast.CodeSpan:
		p.as(models.MessageEntity{Type: models.MessageEntityTypeCode}, func() { p.code(n) })
	case *ast.Emphasis:
		kind := models.MessageEntityTypeItalic
		if n.Level > 1 {
			kind = models.MessageEntityTypeBold
		}
		p.as(models.MessageEntity{Type: kind}, func() { p.inlines(n) })
	case *east.Strikethrough:
		p.as(models.MessageEntity{Type: models.MessageEntityTypeStrikethrough}, func() { p.inlines(n) })
	case *ast.Link:
		p.link(n, string(n.Destination))
	case *ast.Image:
		p.link(n, string(n.Destination))
	case *ast.AutoLink:
		p.write(string(n.Label(p.source)))
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			p.write(string(s.Value(p.source)))
		}
	default:
		p.inlines(n)
	}
}

// words are those of a text, with the end of its line.
func words(n *ast.Text, source []byte) string {
	value := n.Segment.Value(source)
	if !n.IsRaw() {
		value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
	}
	s := strings.ReplaceAll(strings.ToValidUTF8(string(value), ""), "\x00", "")
	if n.SoftLineBreak() || n.HardLineBreak() {
		s += "\n"
	}
	return s
}

func (p *page) code(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			p.write(strings.ReplaceAll(string(t.Segment.Value(p.source)), "\n", " "))
		}
	}
}

// link writes a link. One that Telegram would not follow is written out.
func (p *page) link(n ast.Node, to string) {
	lower := strings.ToLower(to)
	follows := utf8.ValidString(to) && (strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://"))
	was := p.units
	if follows {
		p.as(models.MessageEntity{Type: models.MessageEntityTypeTextLink, URL: to}, func() { p.inlines(n) })
	} else {
		p.inlines(n)
	}
	switch {
	case p.units == was:
		p.write(strings.ToValidUTF8(to, ""))
	case !follows && to != "":
		p.write(" (" + strings.ToValidUTF8(to, "") + ")")
	}
}
