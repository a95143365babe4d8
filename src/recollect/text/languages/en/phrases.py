"""Phrases of the triage in English."""

from recollect.domain.reason import ReasonCode
from recollect.text.languages.language import TriagePhrases

TRIAGE = TriagePhrases(
    fillers={
        ReasonCode.GREETING: """
        hi, hello, hey, heya, hiya, yo, howdy, greetings, good morning, good afternoon, good evening,
        good day, morning, evening, welcome, welcome back, long time no see, nice to meet you,
        pleased to meet you, good to see you, great to see you, nice to see you, good to hear from you,
        great to hear from you, i'm back, i am back, happy new year, merry christmas, happy holidays,
        happy friday, happy monday, happy birthday, hello world
    """,
        ReasonCode.SMALL_TALK: """
        how are you, how are you doing, how are things, how have you been, how is it going, how's it going,
        hows it going, how do you do, how's life, how is life, how's everything, how was your day,
        how is your day, how's your day, how is your day going, how's your day going, what's up, whats up,
        what is up, sup, wassup, what's new, what is new, what's going on, anything new, are you there,
        you still there, are you still there, anyone there, is anyone there, who are you, what are you,
        what is your name, what's your name, what can you do, are you a bot, are you human, are you real,
        tell me a joke, i'm fine, i am fine, i'm good, i am good, i'm great, i am great, i'm ok, i'm okay,
        i'm doing well, i am doing well, doing well, doing great, doing good, all good here, not much,
        not bad, can't complain, same here, and you, how about you, what about you, you too, same to you,
        fine, never better, quick question, i have a question, i have a quick question,
        can i ask you something, can i ask you a question, can i ask a question, testing, test,
        this is a test, just testing, testing 1 2 3, ping
    """,
        ReasonCode.THANKS: """
        thanks, thank you, thankyou, thank u, thx, thnx, tks, ty, tysm, cheers, thanks a bunch,
        thanks a million, many thanks, thanks in advance, thanks for everything, much appreciated,
        appreciate it, i appreciate it, i appreciate that, i appreciate your help,
        i appreciate your assistance, for the support, that helps, that helped, this helps, that's helpful,
        that is helpful, this is helpful, that was helpful, helpful, you're the best, you are the best,
        you rock, you're awesome, you are awesome, for your help, for the help, for all your help,
        for helping, for helping me, for that, for this, for the info, for the information,
        for the explanation, for explaining, for the tip, for the tips, for the suggestion,
        for the suggestions, for the advice
    """,
        ReasonCode.COURTESY: """
        sorry, i'm sorry, i am sorry, my bad, no worries, no problem, np, you're welcome,
        you are welcome, youre welcome, my pleasure, don't mention it, any time, anytime, excuse me, pardon,
        congratulations, congrats, well done, good job, great job, nice work, great work, bless you,
        good luck, have fun, enjoy, happy to help, glad to help, glad i could help, i'm glad i could help,
        i'm happy to help, i'd be happy to help, glad to hear that, glad to hear it, i'm glad to hear that,
        how can i help, how can i help you, how can i assist you, how may i help you, how may i assist you,
        what can i do for you, is there anything else, is there anything else i can help you with,
        is there anything else i can do for you, let me know if you need anything else,
        let me know if you need anything, let me know if you have any questions,
        let me know if you have any other questions, let me know if you have any more questions,
        let me know if i can help, feel free to ask, feel free to reach out, if you have any questions,
        if you have any other questions, if you need anything else, i'm here to help, i am here to help,
        i hope this helps, hope this helps, hope that helps, that sounds great, great question, good question,
        that's a great question, that's a good question
    """,
        ReasonCode.ACKNOWLEDGEMENT: """
        ok, okay, okey, okie, k, alright, all right, right, sure, sure thing, of course, certainly,
        definitely, absolutely, exactly, precisely, indeed, agreed, i agree, fair enough, fair, sounds good,
        sounds great, sounds fine, sounds perfect, sounds like a plan, looks good, looks great,
        looks good to me, lgtm, that works, that works for me, works for me, it works for me, that's fine,
        that is fine, that's ok, that's good, that's great, that is great, that's perfect, that's right,
        that is right, that's correct, that is correct, correct, that's true, true, perfect, great, good,
        nice, nice one, cool, awesome, amazing, excellent, wonderful, fantastic, brilliant, lovely, neat,
        sweet, super, wow, woah, whoa, interesting, how interesting, that's interesting, that's cool,
        that's awesome, that's amazing, got it, i got it, gotcha, understood, i understand, i see, i know,
        i get it, makes sense, that makes sense, it makes sense, noted, will do, done, ready, i'm ready,
        let's go, let's do it, let's do this, let's start, let's begin, go ahead, go on, continue,
        keep going, carry on, proceed, next, tell me more, more, try again, one more time, do it,
        do it again, let's continue, please finish, any other ideas, more ideas, more examples, acknowledged,
        totally, me too, you bet, you got it, can't wait, keep it up, no idea, i don't know, i dunno, dunno,
        idk, not sure, i'm not sure, maybe, perhaps, whatever, up to you, it depends, oh, ah, aha, hm, hmm,
        mhm, uh huh, um, uh, er, yay, hooray, ugh, oops, whoops, omg, roger, roger that, copy that, ack,
        a moment, one moment, one sec, just a moment, just a second, give me a second, wait, hold on,
        hang on, let me think, let me see, no rush, take your time, on it
    """,
        ReasonCode.RESOLVED_DOUBT: """
        never mind, nevermind, nvm, forget it, i figured it out, figured it out, i found it, found it,
        problem solved, solved, it works, it works now, it worked, that worked, that did it, it's working,
        it is working, it's working now, works now, it's fixed, fixed, i fixed it, i solved it, all good,
        all good now, all set, no longer needed, i got it working, now i get it, now i understand, now i see,
        that answers my question, that clears it up
    """,
        ReasonCode.FAREWELL: """
        bye, bye bye, goodbye, good bye, good night, goodnight, night, night night, see you, see ya, cya,
        see you later, see you soon, see you tomorrow, see you around, later, talk to you later,
        talk to you soon, talk soon, talk later, chat soon, catch you later, stay safe, ttyl, take care,
        farewell, so long, until next time, till next time, have a nice day, have a good day,
        have a great day, have a good one, have a good night, have a nice evening, have a good evening,
        have a great evening, have a nice weekend, have a good weekend, have a great weekend, i have to go,
        i've got to go, i gotta go, gotta go, got to go, gtg, i'm off, brb, be right back,
        i'll be right back, i'll be back, sleep well, sweet dreams, that's all, that is all, that's it,
        that will be all, that's all for today
    """,
        ReasonCode.YES_OR_NO: """
        yes, yep, yeah, yea, yup, ya, aye, yes i do, yes i am, yes i did, yes it is, yes it does, no,
        nope, nah, no thanks, no thank you, no i don't, no i'm not, no i didn't, no it isn't, no it's not,
        no it doesn't, not really, not yet, not now, not at all, of course not, i think so, i don't think so,
        i guess, i guess so, i suppose so, i hope so, why not, no way, both, neither, none, none of them,
        all of them
    """,
        ReasonCode.LAUGHTER: "lol, lmao, lmfao, rofl, xd, that's funny, that's hilarious, hilarious, funny",
    },
    connectives="""
    please, pls, plz, and, so, very, really, much, a lot, then, now, too, well, just, also, but, again,
    today, for now, everyone, everybody, all, there, team, folks, guys, friend, my friend, friends, buddy,
    mate, man, dude, bro, sir, madam, dear, assistant, bot, ai, claude, chatgpt, gpt, gemini, copilot,
    katherine
""",
    remarks={
        ReasonCode.WEATHER: (
            """
        weather, raining, rainy, rain, sunny, sunshine, snowing, snowy, snow, cloudy, windy, foggy, stormy,
        freezing, humid, cold, hot, warm, chilly, sun, sky
        """,
            """
        the, is, it, s, so, very, really, quite, pretty, too, a, bit, nice, good, bad, great, lovely,
        beautiful, terrible, awful, perfect, wonderful, gorgeous, today, outside, out, here, now, right,
        again, still, what, isn, t, and, day, was, this, morning, afternoon, evening, been, has, shining,
        blue, looks, such, clear, getting
        """,
        ),
        ReasonCode.ACKNOWLEDGEMENT: (
            """
        good, great, nice, cool, awesome, amazing, excellent, wonderful, fantastic, brilliant, lovely,
        fascinating, interesting, perfect, impressive, beautiful, useful, cute, fun, exciting, incredible,
        true, right, correct
        """,
            """
        that, this, it, is, s, was, were, are, so, really, very, pretty, quite, absolutely, just, sounds,
        sound, looks, look, how, what, a, an, the, idea, ideas, answer, answers, point, points, one, news,
        job, work, stuff, explanation, suggestion, suggestions, all, you, re, be, must, to, hear, indeed
        """,
        ),
    },
    question_openings="""
    what is, what's, whats, what are, what was, what were, what does, what causes, who is, who's, who are,
    who was, who were, who invented, who wrote, who discovered, who painted, who won, who founded,
    who created, when was, when did, when were, where was, how old is, how old was, how tall is, how far is,
    how big is, how much is, how many countries, how many people live in, do you know what, do you know who,
    can you tell me what, can you tell me who, could you tell me what, could you tell me who, tell me what,
    tell me who, explain what, can you explain what, explain the concept of, can you explain the concept of
""",
    definition_openings="""
    define, definition of, the definition of, meaning of, the meaning of, synonym of, synonyms of,
    synonym for, synonyms for, antonym of, how do you spell, how do i spell, what rhymes with
""",
    translation_openings="""
    translate, can you translate, could you translate, would you translate, help me translate,
    can you help me translate, how do you say, how do i say, how to say, how would you say, how can i say,
    what is the translation of, what's the translation of, translation of, what is the word for,
    what's the word for, how do you pronounce, how to pronounce
""",
    conversion_openings="convert, can you convert, could you convert, how many, calculate, compute",
    one_unit_phrases="in a, in an, in one, make a, make one",
    possessives="my, mine, our, ours",
    personal_words="""
    i, im, ive, me, myself, we, us, ourselves, you, your, yours, he, she, they, him, her, his, hers, them,
    their, this, that, these, those, it, its, here, above, below, wrong, yesterday, today, tonight, tomorrow,
    deadline, password, plan, agenda, schedule, meeting, status, budget, bug, error, issue, client, project,
    team, repo, branch, ticket
""",
    statement_verbs="is, are, was, were, more",
    keep_phrases="""
    my project, my projects, our project, our projects, my app, our app, my application, our application,
    my startup, our startup, my company, our company, my business, our codebase, my codebase, our repo,
    my repo, our product, our team, my team, our database, our api, our backend, our frontend, tech stack,
    stack, architecture, architectural,
    i decided, we decided, i've decided, we've decided, i have decided, we have decided, decided to,
    decided on, decision made, my decision, our decision, final decision, i chose, we chose, i've chosen,
    we've chosen, we agreed, we have agreed, we settled on, i settled on, we're going with, i'm going with,
    we will use, we'll use, we're using, we are using, we use, i switched to, we switched to,
    i'm switching to, we're switching to, we migrated, we're migrating, we are migrating,
    i prefer, we prefer, i'd prefer, i would prefer, i'd rather, i would rather, my preference,
    our preference, my favorite, my favourite, i love, i like, i enjoy, i hate, i dislike, i don't like,
    i do not like, i can't stand, i avoid, i don't eat, i do not eat, i don't drink,
    never, i never, we never, i always, we always, i usually, always use, always write, always answer,
    always reply, always call, please always, don't ever, do not ever, from now on, going forward,
    as of today, our convention, our rule, our policy, house rule, the rule is, hard requirement,
    our deadline, my deadline, the deadline is,
    i'm allergic, i am allergic, allergic to, my allergy, my allergies, i'm intolerant, lactose intolerant,
    gluten intolerant, i'm vegetarian, i am vegetarian, i'm vegan, i am vegan, i'm diabetic, i am diabetic,
    i have diabetes, i have asthma, i'm celiac, i am celiac, gluten free diet,
    my name is, my name's, my full name, my surname, my nickname, i am called, i'm called, call me,
    people call me, i go by, my pronouns, my birthday, my age, i was born, my email, my phone number,
    my address, my native language, my mother tongue, i am from, i'm from, i come from, i live in,
    i live with, i lived in, we live in, i'm based in, i am based in, i grew up, i work at, i work for,
    i work as, i work in, i worked at, i worked as, my job, my boss, my manager, my profession, i am a,
    i'm a, i am an, i'm an, i studied, i study, i'm studying, i am studying, my degree, my wife, my husband,
    my partner, my girlfriend, my boyfriend, my fiance, my fiancee, my son, my daughter, my kids,
    my children, my kid, my baby, my mother, my father, my mom, my mum, my dad, my parents, my brother,
    my sister, my grandmother, my grandfather, my family, my dog, my cat, my pet, my best friend, my doctor,
    my therapist, my house, my apartment, my car, i want to learn, i want to become, i want to be,
    i want to build, i want to start, i want to move, i want to lose, i want to quit, i want to save,
    i'd like to learn, i would like to learn, i'm learning, i am learning, i plan to, i'm planning to,
    i am planning to, we plan to, we're planning to, my plan is, my goal, my goals, our goal, our goals,
    my dream, i'm building, i am building, we're building, we are building, i'm working on, i am working on,
    we're working on, we are working on, i'm preparing for, i'm training for, my thesis, my exam, my wedding,
    my interview, my appointment, my surgery, my flight, my trip, i got fired, i was fired, i lost my job,
    i was laid off, i got laid off, i quit my job, i resigned, i got promoted, i was promoted,
    i got a promotion, i got a new job, i got the job, i started a new job, i retired, i graduated,
    i got married, we got married, i'm getting married, we're getting married, i got engaged, we got engaged,
    i got divorced, i'm divorced, we broke up, i broke up, i'm pregnant, i am pregnant, we're expecting,
    we're having a baby, passed away, i was diagnosed, i got diagnosed, i had surgery, i quit smoking,
    i adopted, we adopted, i bought a, we bought a, i sold my, i moved to, i moved in, we moved to,
    i've moved, i'm moving, i am moving, we're moving, we are moving, i just moved, we just moved,
    i relocated, remember that, remember this, please remember, remember my, remember me, remember i,
    don't forget, do not forget, keep in mind, bear in mind, for future reference, for the record,
    make a note, take note, i'm anxious, i am anxious, i feel anxious, i get anxious, makes me anxious,
    stresses me, i'm afraid of, i'm scared of, i struggle with, i suffer from
""",
    keep_exceptions="""
    stack overflow, stack trace, stack traces, call stack, stack of, stack exchange, never mind, never better,
    never ending, never heard, never seen, never been, never knew, never thought, i never knew,
    i never thought, i never heard, call me back, call me later, call me crazy, call me when,
    do you remember that, do you remember this, i like it, i like that, i like this, i love it, i love this,
    i love that, i am a bit, i'm a bit, i am a little, i'm a little, i'm a big, i am a big,
    i prefer not to say, i'd like to learn more, i would like to learn more, i want to learn more,
    i like your, i love your, i like the idea, i'm a language model, i'm a large language model, i'm an ai,
    i am a language model, i am a large language model, i am an ai
""",
)
