package cli

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/recallerhq/recaller/internal/cli/term"
)

// errHelpShown ends a run whose help flag was answered.
var errHelpShown = errors.New("help was shown")

// askHelp is the --help flag. It answers as soon as it is read, so the rest of the line need not be right.
type askHelp bool

// IsBool makes it a flag without a value.
func (askHelp) IsBool() bool { return true }

// BeforeReset shows the help of what was named so far.
func (askHelp) BeforeReset(ctx *kong.Context) error {
	if err := printHelp(kong.HelpOptions{}, ctx); err != nil {
		return err
	}
	return errHelpShown
}

// exampler is a verb with lines to try. A line that begins with "#" explains the next.
type exampler interface{ Examples() []string }

// printHelp shows the help of the selected verb, or of the program.
func printHelp(_ kong.HelpOptions, ctx *kong.Context) error {
	out, ok := ctx.Stdout.(term.Out)
	if !ok {
		out = term.New(ctx.Stdout, func(string) string { return "" })
	}
	if node := ctx.Selected(); node != nil {
		writeHelp(out, ctx.Model.Name, node)
		return nil
	}
	writeOverview(out, ctx.Model)
	return nil
}

// writeOverview shows all verbs in their groups.
func writeOverview(out term.Out, app *kong.Application) {
	fmt.Fprintf(out, "%s\n\n%s\n  %s <command> [flags]\n", term.Wrap(app.Help, out.Width, ""), out.Bold("Usage"),
		app.Name)
	width := 0
	for _, node := range visible(app.Children) {
		width = max(width, len(synopsis(node)))
	}
	for _, group := range groups() {
		fmt.Fprintf(out, "\n%s\n", out.Bold(group.Title))
		for _, node := range visible(app.Children) {
			if node.Group != nil && node.Group.Key == group.Key {
				fmt.Fprintf(out, "  %s  %s\n", out.Accent(fmt.Sprintf("%-*s", width, synopsis(node))), node.Help)
			}
		}
	}
	fmt.Fprintf(out, "\n%s\n", out.Bold("Flags of every command"))
	writeFlags(out, app.Flags)
	fmt.Fprintf(out, "\nRun `%s <command> --help` for a command with examples.\n", app.Name)
	fmt.Fprintln(out, term.Wrap("PHONE is a number, +1 555 010 0199 or as people write it at home, or ext:ID for a "+
		"caller known by an id of your own.", out.Width, ""))
}

// writeHelp shows one verb.
func writeHelp(out term.Out, name string, node *kong.Node) {
	fmt.Fprintf(out, "%s\n\n%s\n  %s\n", node.Help, out.Bold("Usage"), usage(name, node))
	if node.Detail != "" {
		fmt.Fprintf(out, "\n%s\n", term.Wrap(node.Detail, out.Width, ""))
	}
	if children := visible(node.Children); len(children) > 0 {
		fmt.Fprintf(out, "\n%s\n", out.Bold("Commands"))
		writeColumns(out, pairs(children, func(n *kong.Node) (string, string) { return synopsis(n), n.Help }))
	}
	if len(node.Positional) > 0 {
		fmt.Fprintf(out, "\n%s\n", out.Bold("Arguments"))
		writeColumns(out, pairs(node.Positional, func(v *kong.Value) (string, string) { return argument(v), v.Help }))
	}
	if len(visibleFlags(node.Flags)) > 0 {
		fmt.Fprintf(out, "\n%s\n", out.Bold("Flags"))
		writeFlags(out, node.Flags)
	}
	if lines := examples(node); len(lines) > 0 {
		fmt.Fprintf(out, "\n%s\n", out.Bold("Examples"))
		for _, line := range lines {
			if strings.HasPrefix(line, "#") {
				line = out.Dim(line)
			}
			fmt.Fprintf(out, "  %s\n", line)
		}
	}
	fmt.Fprintf(out, "\nFlags of every command: %s\n", strings.Join(globalNames(node), " "))
}

func writeFlags(out term.Out, flags []*kong.Flag) {
	writeColumns(out, pairs(visibleFlags(flags), func(f *kong.Flag) (string, string) {
		return flagName(f), flagHelp(f)
	}))
}

// writeColumns writes names and what they mean, wrapped, side by side.
func writeColumns(out term.Out, rows [][2]string) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row[0]))
	}
	for _, row := range rows {
		text := term.Wrap(row[1], out.Width-width-4, "")
		text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", width+4))
		fmt.Fprintf(out, "  %s  %s\n", out.Accent(fmt.Sprintf("%-*s", width, row[0])), text)
	}
}

func pairs[T any](items []T, pair func(T) (string, string)) [][2]string {
	rows := make([][2]string, len(items))
	for i, item := range items {
		rows[i][0], rows[i][1] = pair(item)
	}
	return rows
}

func visible(nodes []*kong.Node) []*kong.Node {
	var shown []*kong.Node
	for _, n := range nodes {
		if !n.Hidden {
			shown = append(shown, n)
		}
	}
	return shown
}

func visibleFlags(flags []*kong.Flag) []*kong.Flag {
	var shown []*kong.Flag
	for _, f := range flags {
		if !f.Hidden {
			shown = append(shown, f)
		}
	}
	return shown
}

func argument(v *kong.Value) string {
	name := strings.ToUpper(v.Name)
	if v.IsCumulative() {
		name += "…"
	}
	if !v.Required {
		name = "[" + name + "]"
	}
	return name
}

// synopsis returns a verb with its arguments.
func synopsis(node *kong.Node) string {
	parts := []string{node.Name}
	for _, v := range node.Positional {
		parts = append(parts, argument(v))
	}
	if len(visible(node.Children)) > 0 {
		parts = append(parts, "<command>")
	}
	return strings.Join(parts, " ")
}

func usage(name string, node *kong.Node) string {
	text := synopsis(node)
	for p := node.Parent; p != nil && p.Type == kong.CommandNode; p = p.Parent {
		text = p.Name + " " + text
	}
	text = name + " " + text
	if len(visibleFlags(node.Flags)) > 0 {
		text += " [flags]"
	}
	return text
}

func flagName(f *kong.Flag) string {
	name := "    --" + f.Name
	if f.Short != 0 {
		name = fmt.Sprintf("-%c, --%s", f.Short, f.Name)
	}
	if !f.IsBool() {
		placeholder := f.PlaceHolder
		if placeholder == "" {
			placeholder = strings.ToUpper(f.Name)
		}
		name += " " + placeholder
	}
	return name
}

func flagHelp(f *kong.Flag) string {
	help := f.Help
	if f.HasDefault && f.Default != "" {
		help += " (default " + f.Default + ")"
	}
	return help
}

func examples(node *kong.Node) []string {
	if !node.Target.IsValid() || node.Target.Kind() == reflect.Invalid {
		return nil
	}
	target := node.Target
	if target.CanAddr() {
		target = target.Addr()
	}
	if e, ok := target.Interface().(exampler); ok {
		return e.Examples()
	}
	return nil
}

func globalNames(node *kong.Node) []string {
	for node.Parent != nil {
		node = node.Parent
	}
	var names []string
	for _, f := range visibleFlags(node.Flags) {
		names = append(names, "--"+f.Name)
	}
	return names
}

// helpCmd is `recaller help [verb…]`, and the source of docs/cli.md.
type helpCmd struct {
	Verb     []string `arg:"" optional:"" help:"The verb to explain"`
	Markdown bool     `hidden:"" help:"Print the whole reference as Markdown"`
}

// Run shows help for the verb named.
func (c *helpCmd) Run(s *session) error {
	parser, err := newParser(s)
	if err != nil {
		return err
	}
	if c.Markdown {
		return writeReference(s.out, parser.Model)
	}
	_, err = parser.Parse(append(c.Verb, "--help"))
	return err
}

// writeReference writes every verb's help as Markdown.
func writeReference(w io.Writer, app *kong.Application) error {
	plain := term.New(w, func(string) string { return "" })
	fmt.Fprintf(plain, "# Command line\n\nMade from the program's own help by `%s help --markdown`; do not "+
		"edit.\n\n```\n", app.Name)
	writeOverview(plain, app)
	fmt.Fprint(plain, "```\n\nExit codes: 0 it worked, 1 it failed, 2 the command line was not understood.\n")
	for _, node := range app.Leaves(true) {
		fmt.Fprintf(plain, "\n## %s\n\n```\n", node.FullPath())
		writeHelp(plain, app.Name, node)
		fmt.Fprint(plain, "```\n")
	}
	return nil
}
